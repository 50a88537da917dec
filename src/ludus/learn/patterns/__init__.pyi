from .inference import parse_options as parse_options
from .network import PatternNetwork as PatternNetwork
from .network_file import load_network_file as load_network_file
from .network_file import save_network as save_network
from .train import PatternConfig as PatternConfig
from .train import PatternTraining as PatternTraining
from .tuning import measure_win_rate as measure_win_rate

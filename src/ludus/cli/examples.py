"""Two examples of every command, which its help and the reference on the site show."""

EXAMPLES: dict[str, tuple[str, str]] = {
    "play": ("play", "play --text hexapawn --opponent random"),
    "match": (
        "match nine_mens_morris negascout:level=2 random --games 10",
        "match hexapawn her random --record games.txt",
    ),
    "tournament": ("tournament league.toml", "tournament league.toml --jobs 4 --anchor random"),
    "choose": (
        "choose nine_mens_morris scholar --positions states.txt",
        "choose hexapawn her --positions states.txt --out moves.txt",
    ),
    "engine": ("engine nine_mens_morris", "engine backgammon --player gammon:net=selfplay"),
    "serve mcp": ("serve mcp", "serve mcp --port 8643 --no-hints"),
    "serve nnmm": ("serve nnmm", "serve nnmm --compat 2018 --player nnmm:symmetries=16"),
    "serve openenv": (
        "serve openenv noughts_and_crosses --opponent perfect",
        "serve openenv nine_mens_morris --start puzzles --moves 1",
    ),
    "analyse": (
        "analyse backgammon XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        "analyse backgammon games.mat --evaluator gnubg --out annotated.sgf",
    ),
    "rollout": (
        "rollout backgammon XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        "rollout backgammon XGID=-BBBBBD------A----adbbbbb-:0:0:1:00:0:0:0:7:10",
    ),
    "draw": (
        "draw nine_mens_morris games.txt --out game.gif",
        "draw backgammon start --dark --out start.png",
    ),
    "value": ("value hexapawn start", "value noughts_and_crosses 'OO./.X./X.. x'"),
    "regret": (
        "regret hexapawn random --games 40",
        "regret nine_mens_morris scholar --one-move --positions states.txt",
    ),
    "judge": (
        "judge replay.json --plot judged.svg",
        "judge games.txt --game nine_mens_morris --out moves.parquet",
    ),
    "solve": (
        "solve nine_mens_morris --max-men 4",
        "solve nine_mens_morris --out solved --device cuda",
    ),
    "verify": ("verify solved", "verify solved --threads 4"),
    "train menace": ("train menace", "train menace --games 1000 --out menace.json"),
    "train her": ("train her --against random", "train her --games 500 --out her.json"),
    "train qlearning": (
        "train qlearning hexapawn --alpha 0.1",
        "train qlearning --games 2000 --out table.json",
    ),
    "train deepq": (
        "train deepq hexapawn --games 200 --out net.npz",
        "train deepq hexapawn --init-from net.npz --out more.npz",
    ),
    "train migo": (
        "train migo hexapawn --games 50",
        "train migo noughts_and_crosses --selfplay --out ox.pl",
    ),
    "train patterns": (
        "train patterns --out my.patterns",
        "train patterns --base seed --records games.txt --out my.patterns",
    ),
    "train nnmm": (
        "train nnmm --data dataset.txt --preset quick --out mine.safetensors",
        "train nnmm --data dataset.txt --preset best --out best.safetensors",
    ),
    "train scholar": (
        "train scholar --size tiny --minutes 1 --out tiny.safetensors",
        "train scholar --device cuda --minutes 25 --out scorer.safetensors",
    ),
    "train gammon": ("train gammon", "train gammon --hidden 24,24 --cycles 20 --out net.npz"),
    "train gammon-selfplay": (
        "train gammon-selfplay --out net.safetensors",
        "train gammon-selfplay --hidden 256 --device cuda --out net.safetensors",
    ),
    "train gammon-expert": (
        "train gammon-expert --data labels --out net.safetensors",
        "train gammon-expert --data labels --device cuda --out net.safetensors",
    ),
    "tune nnmm": (
        "tune nnmm --data dataset.txt --trials 100 --out tuned.toml",
        "tune nnmm --data dataset.txt --study study.db --out tuned.toml",
    ),
    "tune patterns": (
        "tune patterns --seed 1",
        "tune patterns --opponent basic --trials 100 --study tuned.sqlite",
    ),
    "evaluate gammon": ("evaluate gammon", "evaluate gammon net.npz --svg weights.svg"),
    "evaluate nnmm": (
        "evaluate nnmm dataset.txt --part test",
        "evaluate nnmm dataset.txt --weights mine.safetensors --rule joint",
    ),
    "show menace": (
        "show menace 'X../.../..O x'",
        "show menace 'BBB/W../.WW b' --game hexapawn --svg box.svg",
    ),
    "show migo": ("show migo noughts_and_crosses", "show migo hexapawn --as english"),
    "show patterns": ("show patterns", "show patterns long --pattern 61 --svg pattern.svg"),
    "explain migo": (
        "explain migo noughts_and_crosses 'XO./.../... x'",
        "explain migo hexapawn 'BBB/W../.WW b' --json",
    ),
    "certify scholar": (
        "certify scholar --device cuda",
        "certify scholar --errors any --prevent losses --device cuda",
    ),
    "dataset stats": ("dataset stats dataset.txt", "dataset stats dataset.txt --plot points.svg"),
    "dataset check": ("dataset check dataset.txt", "dataset check mine.txt --rules flying=no"),
    "dataset expand": (
        "dataset expand dataset.txt --out expanded.txt",
        "dataset expand dataset.txt --recipe published --out expanded.txt",
    ),
    "dataset label": (
        "dataset label dataset.txt --out labelled.txt",
        "dataset label dataset.txt --oracle solved --out labelled.txt",
    ),
    "dataset export": (
        "dataset export labelled.txt --out labelled.parquet",
        "dataset export dataset.txt --oracle solved --out labelled.parquet",
    ),
    "dataset generate": (
        "dataset generate nine_mens_morris --states 1000 --out moves.txt",
        "dataset generate nine_mens_morris --teacher newbie --states 9 --out a",
    ),
    "dataset fetch": ("dataset fetch nnmm", "dataset fetch nnmm --out data"),
    "convert": ("convert games.mat --out games.sgf", "convert games.sgf --out games.txt"),
    "export tournament": (
        "export tournament league.sqlite --out games.parquet",
        "export tournament league.toml --out games.txt",
    ),
    "export onnx": (
        "export onnx scholar --out scholar.onnx",
        "export onnx mine.safetensors --out mine.onnx",
    ),
    "import nnmm": (
        "import nnmm npz --out author.safetensors",
        "import nnmm npz --order FRT --out author.safetensors",
    ),
    "import gammon": (
        "import gammon mine.txt --out positions.txt",
        "import gammon mine.txt --out positions.txt --json",
    ),
    "join nnmm": (
        "join nnmm a.safetensors b.safetensors --out c.safetensors",
        "join nnmm a.safetensors b.safetensors --shares 0.4,0.6 --out c",
    ),
    "games": ("games", "games --json"),
    "players": ("players", "players hexapawn"),
    "perft": ("perft nine_mens_morris 5", "perft hexapawn 3 --divide"),
    "reproduce": ("reproduce", "reproduce vrajitoru-table-1 --size quick"),
    "bench": ("bench", "bench --json"),
    "completion": ("completion bash", "completion fish"),
}
"""Command lines without the word `ludus`, by the words of their command."""

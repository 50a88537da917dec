"""MIGO: strategies learned as logic programs that people can read.

After S. H. Muggleton and C. Hocquette, "Machine Discovery of Comprehensible Strategies for Simple
Games Using Meta-interpretive Learning", New Generation Computing 37 (2019).
"""

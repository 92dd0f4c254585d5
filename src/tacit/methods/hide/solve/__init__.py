"""The solvers of hide.

patterns       what must not be minable, and all that gives it away
marking        victim pairs that break every sensitive pattern, and which item of each goes
matrix         the sanitization matrix, sparse
probabilities  how likely a hit item stays, as published and as certified
targets        how frequent a hidden pair should look
rules          hiding a rule by its confidence or by its support
plan           what a solver returns
solve          from a secret and the counts of the data to a plan
"""

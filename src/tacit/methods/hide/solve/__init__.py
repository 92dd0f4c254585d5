"""The solvers of hide.

patterns   what must not be minable, and all that gives it away
marking    victim pairs that break every sensitive pattern, and which item of each goes
matrix     the sanitization matrix, sparse; how likely a hit item stays
targets    how frequent hidden pairs should look
rules      hiding a rule by its confidence or by its support
decoys     what is hidden beside the secret
thinning   which items go so that rules are no longer confident
solve      from a secret and the counts of the data to a plan
"""

"""The solvers of bucketize.

classes      rows that are interchangeable to the solvers, counted
feasibility  whether a table can meet the promise at all, and how much of it can
matching     which sensitive values each row of a bucket could hold
posterior    how likely each of them is, exactly
anatomy      buckets without regard to knowledge
injector     buckets that keep the promise against a reader who knows negative rules
cells        the rows split into cells by their quasi-identifiers
near         Injector's buckets from nearby rows first
bounded      the same under a bound on the posterior
plan         what a solver returns: buckets as classes
"""

"""The solvers of bucketize.

solve        a table counted, and the solver that was asked for
plan         rows that are interchangeable to the solvers, counted, and what these return: buckets as classes
feasibility  which values each row could hold, and so whether a table can meet the promise at all
keeping      which rows are bucketized, and which are left out
anatomy      buckets without regard to knowledge
injector     buckets that keep the promise against a reader who knows negative rules
compatible   Injector's groups of compatible rows
placing      the rows that no such group took
bounded      Injector's buckets under a bound on the posterior
areas        parts of a table that are bucketized apart
ground       what areas are made of: combinations, their classes, what is forbidden to them
apart        buckets area by area
dealt        buckets dealt by values alone, where rules matter in an area
silence      buckets drawn anew until what is not listed as a rule names nobody
signatures   buckets of a series
renaming     what everybody of a series could have, whatever its rules leave out
"""

"""Files in and out: readers, writers, hierarchy files, samples, spelling; Spark as a source beside them."""

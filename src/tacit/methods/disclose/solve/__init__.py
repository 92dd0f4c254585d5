"""Maximum entropy: sources of knowledge in, posteriors out."""

"""What published rules give away, by maximum entropy: sources of knowledge in, posteriors out."""

"""What a running VPP is asked, one module per kind of object, and what its answers mean in the model."""

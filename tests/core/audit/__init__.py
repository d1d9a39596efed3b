"""The trail: what is kept, and how one knows that it is true."""

"""What has use taught? The record of what was shown and opened, which no notes folder can bring back."""

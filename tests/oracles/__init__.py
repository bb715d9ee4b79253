"""The rules once more, plainly and slowly, from the rule books and not from the kernels."""

"""LLM judges: does an answer formalise the statement, do two specifications mean the same?"""

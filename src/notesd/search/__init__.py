"""Which notes answer?"""

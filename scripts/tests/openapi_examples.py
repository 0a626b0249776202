"""Holds the examples of an OpenAPI description against its own schemas. Called by openapi.sh."""

import json
import sys

import jsonschema_rs


def examples(node, place=""):
    """Each schema that has an example beside it."""
    if isinstance(node, dict):
        if "schema" in node and "example" in node:
            yield place, node["schema"], node["example"]
        for key, child in node.items():
            yield from examples(child, f"{place}/{key}")
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from examples(child, f"{place}/{index}")


def main():
    with open(sys.argv[1]) as file:
        description = json.load(file)
    count = wrong = 0
    for place, schema, example in examples(description):
        count += 1
        whole = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": description["components"],
            "allOf": [schema],
        }
        for error in jsonschema_rs.validator_for(whole).iter_errors(example):
            wrong += 1
            print(f"{place}: {error.message}")
    print(f"{count} examples of the description, {wrong} do not fit their schemas")
    sys.exit(1 if wrong else 0)


main()

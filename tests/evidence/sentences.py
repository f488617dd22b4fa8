#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the sentence of every view of every profile below a folder and holds its names and numbers against the JSON;
then looks for pages that contradict each other.

usage: sentences.py TELLTALE [DATA] [--only TEXT] [--print]

The sentences are those that the page shows: of `telltale view`, with the rows they are about. Before that the readers
themselves are tried on sentences that are wrong. Profiles above 8 MB are left out.
"""
import argparse
import json
import os
import sys
import time
import urllib.parse

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPOSITORY, "tests", "server"))
from harness import PROFILES, Server  # noqa: E402
import sentence_mistakes  # noqa: E402
from sentence_views import READERS, Documents, contradictions, read  # noqa: E402

MOST_BYTES = 8_000_000
FOLDERS = ("traces", "torch", "prof", "other_profilers")


def ask(server, path, **query):
    """The JSON of an answer, as soon as the profile is read; None where it cannot be."""
    target = PROFILES + path + ("?" + urllib.parse.urlencode(query) if query else "")
    while True:
        status, _, body = server.get(target)
        if status != 202:
            return json.loads(body) if status == 200 else None
        time.sleep(0.01)  # it is being read


def profiles(server, only):
    while True:
        listed = ask(server, "", limit=10000)
        if not listed["searching"]:
            break
        time.sleep(0.05)
    for profile in sorted(listed["profiles"], key=lambda row: row["paths"]):
        if profile["bytes"] <= MOST_BYTES and only in " ".join(profile["paths"]):
            yield profile


def documents_of(server, profile):
    whole = ask(server, f"/{profile['id']}/report")
    if whole is None:
        return None
    views = ask(server, f"/{profile['id']}")["views"]
    reports = {view: ask(server, f"/{profile['id']}/report", view=view, limit=0) for view in views if view in READERS}
    return Documents(reports, whole)


def problems(documents):
    for view in documents.reports:
        for wrong in read(view, documents):
            yield view, wrong
    for wrong in contradictions(documents):
        yield "together", wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("telltale")
    parser.add_argument("data", nargs="?", default=os.path.join(REPOSITORY, "tests", "data"))
    parser.add_argument("--only", default="", help="only profiles whose paths contain this text")
    parser.add_argument("--print", action="store_true", help="print every sentence")
    options = parser.parse_args()
    failed = sentence_mistakes.unseen()
    for mistake in failed:
        print(f"the readers do not see this mistake: {mistake}")
    folders = [os.path.join(options.data, name) for name in FOLDERS]
    folders = [folder for folder in folders if os.path.isdir(folder)] or [options.data]
    read_profiles = sentences = wrong_sentences = 0
    with Server(paths=folders, command=options.telltale) as server:
        for profile in profiles(server, options.only):
            documents = documents_of(server, profile)
            if documents is None:
                continue
            read_profiles += 1
            sentences += len(documents.reports)
            found = list(problems(documents))
            wrong_sentences += len({view for view, _ in found})
            if options.print or found:
                print(f"\n{' '.join(os.path.relpath(path, options.data) for path in profile['paths'])}")
            for view in documents.reports:
                if options.print or any(view == at for at, _ in found):
                    print(f"  {view}: {documents.sentence(view)}")
            for view, wrong in found:
                print(f"  ! {view}: {wrong}")
    print(f"\n{read_profiles} profiles, {sentences} sentences, {wrong_sentences} wrong")
    sys.exit(1 if failed or wrong_sentences or not sentences else 0)


if __name__ == "__main__":
    main()

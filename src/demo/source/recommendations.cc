// SPDX-License-Identifier: Apache-2.0
//
// Source text of recommendations, Python.
#include "demo/source/files.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kAppPy = R"__("""recommendations: items like the one on the page."""

import json
import os

from wsgiref.types import StartResponse
from recommendations.ranker import Ranker
from recommendations.vectors import load_vectors


class App:
    def __init__(self, ranker: Ranker):
        self.ranker = ranker

    def __call__(self, environ: dict, start_response: StartResponse):
        item = int(environ["PATH_INFO"].rpartition("/")[2])
        ranked = self.ranker.rank(item, count=12)
        body = json.dumps({"item": item, "others": ranked}).encode()
        start_response("200 OK", [("content-type", "application/json")])
        return [body]


def main() -> App:
    vectors = load_vectors(os.environ["VECTORS"])
    return App(Ranker(vectors))
)__";

constexpr std::string_view kRankerPy = R"__("""Ranks items by how near their vectors are."""

import heapq

import numpy as np


class Ranker:
    def __init__(self, vectors: np.ndarray):
        self.vectors = vectors
        self.norms = np.linalg.norm(vectors, axis=1)

    def rank(self, item: int, count: int) -> list[dict]:
        scores = self.score(item)
        best = heapq.nlargest(count + 1, range(len(scores)), key=scores.__getitem__)
        return [self.explain(item, other, scores) for other in best if other != item]

    def score(self, item: int) -> np.ndarray:
        wanted = self.vectors[item]
        near = self.vectors @ wanted
        return near / (self.norms * self.norms[item])

    def explain(self, item: int, other: int, scores: np.ndarray) -> dict:
        shared = np.minimum(self.vectors[item], self.vectors[other])
        reasons = np.argsort(shared)[-3:]
        return {"item": other, "score": round(float(scores[other]), 4), "reasons": reasons.tolist()}
)__";

}  // namespace

std::span<const SourceFile> RecommendationsSources() {
  static constexpr SourceFile kFiles[] = {{"app.py", kAppPy}, {"ranker.py", kRankerPy}};
  return kFiles;
}

}  // namespace flarestack::demo

// SPDX-License-Identifier: Apache-2.0
// Counts done by hand. analysis/tests/test_cache_page.py compares many more with the C++ simulator's.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Game } from "../src/game.js";
import { sizesOf } from "../src/misses.js";
import { POLICIES, accessesOf, countOf, missesOf } from "../src/policies.js";

const CIRCLE = [0, 1, 2, 0, 1, 2, 0, 1, 2];
const misses = (name, slots, rounds) => countOf(missesOf(accessesOf(rounds, 10), name, slots));

test("on a circle that is one block too long LRU misses always, OPT seldom", () => {
  assert.equal(misses("LRU", 2, [CIRCLE]), 9);
  assert.equal(misses("CLOCK", 2, [CIRCLE]), 9);
  assert.equal(misses("OPT", 2, [CIRCLE]), 6);
});

test("with room for all, and with room for one, all policies are alike", () => {
  for (const { name } of POLICIES) {
    assert.equal(misses(name, 3, [CIRCLE]), 3, name);
    assert.equal(misses(name, 1, [CIRCLE]), 9, name);
  }
});

test("SUB keeps what the next round needs", () => {
  // At the miss of 3 the cache holds 0, 1 and 2; the next round needs 0 and 1, so 2 leaves.
  const rounds = [[], [0, 1, 2, 3], [0, 1]];
  assert.equal(misses("SUB", 3, rounds), 4);
  assert.equal(misses("LRU", 3, rounds), 6);
});

test("CLOCK spares once what was used again", () => {
  // 0 is marked by its second use, so 1 leaves for 2.
  assert.equal(misses("CLOCK", 2, [[0, 1, 0, 2, 0]]), 3);
});

test("S3-FIFO remembers what left its small queue too early", () => {
  // With three slots one is small. 0 leaves for 3, comes back into main, and stays there.
  const missed = missesOf(accessesOf([[0, 1, 2, 3, 0, 4, 5, 0]], 10), "S3-FIFO", 3);
  assert.deepEqual(missed, [...new Array(7).fill(true), false]);
});

test("an access knows its block's past and future", () => {
  const accesses = accessesOf([[], [4, 5], [4]], 10);
  assert.deepEqual(
    accesses.map(({ last, next }) => [last, next]),
    [
      [-1, 2],
      [-1, Infinity],
      [0, Infinity],
    ],
  );
  assert.deepEqual(
    accesses.map(({ soon }) => soon),
    [true, false, false],
  );
});

test("the game asks where the reader's cache is full, and says what OPT would drop", () => {
  const game = new Game(accessesOf([[0, 1, 0, 2, 1, 0]], 10), 2);
  assert.equal(game.at, 3);
  assert.deepEqual(
    game.frames().map(({ unit, ago, until }) => [unit, ago, until]),
    [
      [0, 1, 2],
      [1, 2, 1],
    ],
  );
  game.drop(1); // OPT drops 0, which is used later
  assert.deepEqual(game.answer.best, [0]);
  assert.deepEqual([game.asked, game.right], [1, 0]);
  game.toQuestion();
  assert.equal(game.at, 4, "1 is wanted, and was dropped");
  game.drop(1);
  assert.deepEqual([game.asked, game.right], [2, 1], "2 never comes again");
  game.toQuestion();
  assert.equal(game.over, true);
  assert.deepEqual(Object.fromEntries(game.score()), { you: 4, OPT: 4, LRU: 5 });
});

test("who answers as OPT each time misses as often as OPT", () => {
  const rounds = [[], ...Array.from({ length: 9 }, (_, n) => [0, 1, 2, 3, 4 + (n % 3)])];
  const game = new Game(accessesOf(rounds, 10), 3);
  while (!game.over) {
    const uses = game.frames().map(({ until }) => until);
    game.drop(uses.indexOf(Math.max(...uses)));
    game.toQuestion();
  }
  const { you, OPT } = Object.fromEntries(game.score());
  assert.equal(you, OPT);
  assert.equal(game.right, game.asked);
});

test("sizes are all of few, and ascend to all blocks of many", () => {
  assert.deepEqual(sizesOf(3), [1, 2, 3]);
  const sizes = sizesOf(1000);
  assert.equal(sizes[0], 1);
  assert.equal(sizes.at(-1), 1000);
  assert.ok(sizes.every((size, n) => n === 0 || size > sizes[n - 1]));
});

// SPDX-License-Identifier: Apache-2.0
// "Which block would you drop?": the reader is the policy. OPT, LRU and the reader each have a cache
// of the same size and are asked for the same blocks; the game halts where the reader's is full and
// misses.
import { Cache, policyOf } from "./policies.js";

export class Game {
  constructor(accesses, slots) {
    this.accesses = accesses;
    this.slots = slots;
    this.at = 0; // the access that is asked for now
    this.choice = null; // the slot that the reader gives up
    this.yours = new Cache({ victim: () => this.choice, hit() {}, insert() {} }, slots);
    this.others = ["OPT", "LRU"].map((name) => [name, new Cache(policyOf(name).make(slots), slots)]);
    this.asked = 0; // questions so far
    this.right = 0; // of them answered as OPT would
    this.answer = null;
    this.toQuestion();
  }

  get over() {
    return this.at === this.accesses.length;
  }

  // Goes on until a block has to be given up.
  toQuestion() {
    this.answer = null;
    while (!this.over && !this.isQuestion()) this.pass();
  }

  isQuestion() {
    return this.yours.full && !this.yours.slotOf.has(this.accesses[this.at].unit);
  }

  pass() {
    const access = this.accesses[this.at++];
    this.yours.ask(access);
    for (const [, cache] of this.others) cache.ask(access);
  }

  // What is in each of the reader's frames: block, accesses since its last use and until its next.
  frames() {
    return this.yours.unitIn.map((unit) => {
      let last = this.at - 1;
      while (this.accesses[last].unit !== unit) --last;
      return { unit, ago: this.at - last, until: this.accesses[last].next - this.at };
    });
  }

  // The reader gives up what is in this slot. Then `answer` has what OPT says to it.
  drop(slot) {
    const frames = this.frames();
    const latest = Math.max(...frames.map(({ until }) => until));
    const best = frames.flatMap(({ until }, number) => (until === latest ? [number] : []));
    this.choice = slot;
    ++this.asked;
    if (best.includes(slot)) ++this.right;
    this.answer = { slot, best, frames, incoming: this.accesses[this.at].unit };
    this.pass();
  }

  // [who, misses so far]
  score() {
    const others = this.others.map(([name, cache]) => [name, cache.misses]);
    return [["you", this.yours.misses], ...others];
  }
}

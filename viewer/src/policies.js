// SPDX-License-Identifier: Apache-2.0
// Which unit a full cache evicts: the policies of storage/cache/policies/, which say where each comes
// from, choice by choice the same, so that their misses are the same. The rules stand there; here
// are their few lines again.
//
// A policy orders the slots of a cache. Its owner (Cache) calls, as storage/cache/policies/policy.h
// has it: announce(slot), hit(slot, access), victim(), insert(slot, access). An access is one of
// accessesOf().

const MASK = (1n << 64n) - 1n;

// common/hash.h
function mix(x) {
  x = (x + 0x9e3779b97f4a7c15n) & MASK;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return x ^ (x >> 31n);
}

// Draws of SUB, of 32 bits each: they depend on the seed alone, so all sizes share them.
const SEED = mix(1n);
const draws = [];
function drawOf(number) {
  while (draws.length < number) draws.push(Number(mix(SEED + BigInt(draws.length + 1)) >> 32n));
  return draws[number - 1];
}

// The accesses of a trace, in order: unit; soon: asked for again in this round or the next; next: the
// number of the next access to this unit, Infinity if there is none; last: of the previous one, -1
// if there is none; announced: units that became needed again because a round begins before it.
//
// `rounds`: the units that each round asks for; the first are those before a round begins.
export function accessesOf(rounds, units) {
  const needed = new Int32Array(units);
  const begin = (round) => (rounds[round] ?? []).filter((unit) => needed[unit]++ === 0);
  begin(0);
  begin(1);
  const accesses = [];
  const latest = new Int32Array(units).fill(-1);
  let announced = [];
  rounds.forEach((asked, round) => {
    if (round > 0) announced = announced.concat(begin(round + 1));
    for (const unit of asked) {
      const soon = --needed[unit] > 0;
      const last = latest[unit];
      if (last >= 0) accesses[last].next = accesses.length;
      latest[unit] = accesses.length;
      accesses.push({ unit, round, soon, last, next: Infinity, announced });
      announced = [];
    }
  });
  return accesses;
}

class Lru {
  order = []; // slots, the least recently used first
  hit(slot) {
    this.order.splice(this.order.indexOf(slot), 1);
    this.order.push(slot);
  }
  victim() {
    return this.order.shift();
  }
  insert(slot) {
    this.order.push(slot);
  }
}

class Clock {
  hand = 0;
  constructor(slots) {
    this.used = new Array(slots).fill(false);
  }
  hit(slot) {
    this.used[slot] = true;
  }
  victim() {
    while (this.used[this.hand]) {
      this.used[this.hand] = false;
      this.advance();
    }
    const slot = this.hand;
    this.advance();
    return slot;
  }
  insert(slot) {
    this.used[slot] = false;
  }
  advance() {
    this.hand = (this.hand + 1) % this.used.length;
  }
}

class S3Fifo {
  small = []; // the oldest first
  main = [];
  uses = [];
  units = []; // in each slot
  evictions = 0; // from small
  evictedAt = new Map(); // by unit: the number of its eviction from small
  constructor(slots) {
    this.smallShare = Math.max(1, Math.floor(slots / 10));
    this.remembered = slots - this.smallShare;
  }
  hit(slot) {
    this.uses[slot] = Math.min(3, this.uses[slot] + 1);
  }
  insert(slot, { unit }) {
    this.units[slot] = unit;
    this.uses[slot] = 0;
    (this.recall(unit) ? this.main : this.small).push(slot);
  }
  victim() {
    for (;;) {
      const fromSmall = this.small.length >= this.smallShare || this.main.length === 0;
      const slot = (fromSmall ? this.small : this.main).shift();
      if (fromSmall && this.uses[slot] > 1) {
        this.uses[slot] = 0;
        this.main.push(slot);
      } else if (!fromSmall && this.uses[slot] > 0) {
        --this.uses[slot];
        this.main.push(slot);
      } else {
        if (fromSmall) this.evictedAt.set(this.units[slot], ++this.evictions);
        return slot;
      }
    }
  }
  recall(unit) {
    const at = this.evictedAt.get(unit);
    this.evictedAt.delete(unit);
    return at !== undefined && this.evictions - at < this.remembered;
  }
}

class Sub {
  candidates = []; // slots that neither this round nor the next needs
  drawn = 0;
  constructor(slots) {
    this.slots = slots;
  }
  announce(slot) {
    const place = this.candidates.indexOf(slot);
    if (place >= 0) this.strikeOff(place);
  }
  hit(slot, access) {
    this.announce(slot);
    this.insert(slot, access);
  }
  insert(slot, { soon }) {
    if (!soon) this.candidates.push(slot);
  }
  victim() {
    if (this.candidates.length === 0) return this.below(this.slots);
    return this.strikeOff(this.below(this.candidates.length));
  }
  // The last takes the place, as there: the order decides what a draw means.
  strikeOff(place) {
    const slot = this.candidates[place];
    this.candidates[place] = this.candidates.at(-1);
    this.candidates.pop();
    return slot;
  }
  below(end) {
    return Math.floor((drawOf(++this.drawn) * end) / 2 ** 32);
  }
}

// Belady's: of several units that never come again it takes the first slot's.
class Opt {
  nexts = []; // by slot: the next use of its unit
  hit(slot, { next }) {
    this.nexts[slot] = next;
  }
  insert(slot, { next }) {
    this.nexts[slot] = next;
  }
  victim() {
    return this.nexts.indexOf(Math.max(...this.nexts));
  }
}

// In the order in which the page has them.
export const POLICIES = [
  { name: "OPT", make: () => new Opt(), says: "evicts what is used furthest in the future (Belady)" },
  {
    name: "SUB",
    make: (slots) => new Sub(slots),
    says: "knows this round and the next; evicts what neither needs, else at random (ACGraph, section 3.1)",
  },
  { name: "LRU", make: () => new Lru(), says: "evicts what was used least recently" },
  {
    name: "CLOCK",
    make: (slots) => new Clock(slots),
    says: "first in, first out, but spares what was used since its hand last passed (CAVE, section 5)",
  },
  {
    name: "S3-FIFO",
    make: (slots) => new S3Fifo(slots),
    says: "three queues; what is used once leaves soon (SOSP 2023)",
  },
];
export const policyOf = (name) => POLICIES.find((policy) => policy.name === name);

// A cache of so many slots under a policy, access by access.
export class Cache {
  slotOf = new Map(); // by unit
  unitIn = []; // by slot
  misses = 0;
  constructor(policy, slots) {
    this.policy = policy;
    this.slots = slots;
  }
  // True if it missed.
  ask(access) {
    for (const unit of access.announced) {
      const slot = this.slotOf.get(unit);
      if (slot !== undefined) this.policy.announce?.(slot);
    }
    const held = this.slotOf.get(access.unit);
    if (held !== undefined) {
      this.policy.hit(held, access);
      return false;
    }
    ++this.misses;
    const slot = this.full ? this.evict() : this.unitIn.length;
    this.unitIn[slot] = access.unit;
    this.slotOf.set(access.unit, slot);
    this.policy.insert(slot, access);
    return true;
  }
  get full() {
    return this.unitIn.length === this.slots;
  }
  evict() {
    const slot = this.policy.victim();
    this.slotOf.delete(this.unitIn[slot]);
    return slot;
  }
}

// Of each access, whether it misses.
export function missesOf(accesses, name, slots) {
  const cache = new Cache(policyOf(name).make(slots), slots);
  return accesses.map((access) => cache.ask(access));
}

export const countOf = (misses) => misses.reduce((sum, missed) => sum + (missed ? 1 : 0), 0);

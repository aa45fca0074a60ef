// SPDX-License-Identifier: Apache-2.0
// The columns of a run as the page holds them: LEB128 numbers, deflated, in base64
// (analysis/outcore_analysis/viewer/pack.py writes them).

export function decodeNumbers(bytes, count) {
  const numbers = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; ++i) {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("the run's columns end too early");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    numbers[i] = value;
  }
  return numbers;
}

const unzigzag = (x) => (x % 2 === 0 ? x / 2 : -(x + 1) / 2);

export async function inflate(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Events in the order of time, as columns: time in microseconds, lane, kind, block, count, value.
export function columnsOf(bytes, count) {
  const numbers = decodeNumbers(bytes, 6 * count);
  const column = (i) => numbers.subarray(i * count, (i + 1) * count);
  const columns = {
    count,
    time: column(0),
    lane: column(1),
    kind: column(2),
    block: column(3),
    blocks: column(4),
    value: column(5),
  };
  let time = 0;
  let block = 0;
  for (let i = 0; i < count; ++i) {
    columns.time[i] = time += columns.time[i];
    columns.block[i] = block += unzigzag(columns.block[i]);
  }
  return columns;
}

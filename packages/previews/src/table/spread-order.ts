/**
 * The indices from 0 to `count` in an order whose every beginning is spread evenly: the van der Corput sequence, from the
 * middle on.
 */
export function* spreadOrder(count: number): Generator<number> {
  let bits = 0
  while (2 ** bits <= count) bits++
  const size = 2 ** bits
  for (let turn = 1; turn < size; turn++) {
    let index = 0
    for (let bit = 0; bit < bits; bit++) if ((turn >>> bit) & 1) index |= 1 << (bits - 1 - bit)
    if (index <= count) yield index - 1
  }
}

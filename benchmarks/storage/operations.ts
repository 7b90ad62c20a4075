/** What is measured of a storage that fills up. */
export const OPERATIONS = [
  'store',
  'retrieve',
  'range',
  'stat',
  'delete',
  'evict',
  'endTurn',
  'list 50',
  'gc of 50',
  'clear 5',
] as const

export type Operation = (typeof OPERATIONS)[number]

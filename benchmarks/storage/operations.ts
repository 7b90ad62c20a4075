/** Operations that are measured in a growing storage. */
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

/** What is measured of a storage that fills up. */
export const OPERATIONS = ['store', 'retrieve', 'stat', 'list 50', 'endTurn', 'evict', 'gc of 50'] as const

export type Operation = (typeof OPERATIONS)[number]

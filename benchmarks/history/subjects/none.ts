import { replacing } from './subject.ts'

/** A way that removes nothing. */
export const none = replacing('none', () => async (messages) => ({ messages, stored: new Map() }))

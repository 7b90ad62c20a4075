import { replacing } from './subject.ts'

/** Nothing is taken out. */
export const none = replacing('none', () => async (messages) => ({ messages, stored: new Map() }))

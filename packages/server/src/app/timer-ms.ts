/** What timers can wait at most; more would make them fire at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Return the milliseconds that a timer is given for a time that may be longer than timers know, such as `Infinity`. */
export const timerMs = (milliseconds: number): number => Math.min(milliseconds, MAX_TIMER_MS)

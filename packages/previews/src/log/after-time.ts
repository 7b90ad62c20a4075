/**
 * The index after a time at the start of a line, as most loggers write it: `2024-03-03T09:15:02.120Z`, `09:15:02,120`; else
 * the start.
 */
export function afterTime(text: string, start: number, end: number): number {
  const isDated = text.charCodeAt(start + 4) === 45 && text.charCodeAt(start + 7) === 45
  const clock = isDated ? start + 11 : start
  if (clock + 8 > end || text.charCodeAt(clock + 2) !== 58 || text.charCodeAt(clock + 5) !== 58) return start
  let at = clock + 8
  while (at < end && text.charCodeAt(at) > 32) at++
  return at
}

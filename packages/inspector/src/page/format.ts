const counts = new Intl.NumberFormat('en')
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

export const formatCount = (count: number | undefined): string => (count === undefined ? '–' : counts.format(count))

export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  for (; value >= 1_000 && unit < UNITS.length - 1; unit++) value /= 1_000
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** Format a time as `2026-01-31 23:59:59`, in the time zone of the browser. */
export function formatTime(time: number | string | undefined): string {
  if (time === undefined) return '–'
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

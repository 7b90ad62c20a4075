import { formatCount } from '@spillway/text/internal'

/** Returns `800 × 600`, or nothing if unknown. */
export function dimensions(width: number, height: number): string[] {
  return width > 0 && height > 0 ? [`${width} × ${height}`] : []
}

/** Returns `4.5 s`, `3:25`, or `1:02:03`, or nothing if unknown. */
export function duration(seconds: number, { isEstimate = false }: { readonly isEstimate?: boolean } = {}): string[] {
  if (!(seconds >= 0.05 && seconds < 1e9)) return []
  const about = isEstimate ? 'about ' : ''
  const whole = Math.round(seconds)
  if (whole < 60) return [`${about}${String(Math.round(seconds * 10) / 10)} s`]
  const minutes = Math.floor(whole / 60)
  const digits = (count: number): string => String(count).padStart(2, '0')
  const clock =
    minutes < 60
      ? `${minutes}:${digits(whole % 60)}`
      : `${Math.floor(minutes / 60)}:${digits(minutes % 60)}:${digits(whole % 60)}`
  return [`${about}${clock}`]
}

/** Returns `44,100 Hz`, or nothing if unknown. */
export function sampleRate(hertz: number): string[] {
  return hertz > 0 ? [`${formatCount(hertz)} Hz`] : []
}

export function counted(count: number | undefined, singular: string, plural = `${singular}s`): string[] {
  return count === undefined || !Number.isSafeInteger(count) || count < 0
    ? []
    : [`${formatCount(count)} ${count === 1 ? singular : plural}`]
}

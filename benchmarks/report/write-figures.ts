import { f1, stats } from '../speed/lib.mjs'

/** Return the median of samples; `undefined` without samples. */
export function median(samples: readonly number[]): number | undefined {
  return samples.length === 0 ? undefined : (stats(samples).med as number)
}

/** Write milliseconds, or a dash for `undefined`. */
export const milliseconds = (value: number | undefined): string => (value === undefined ? '–' : (f1(value) as string))

/** Write a value as a multiple of `base`. */
export function ratio(value: number | undefined, base: number | undefined): string {
  return value === undefined || base === undefined ? '–' : (value / base).toFixed(2)
}

/** Write megabytes as an integer. */
export const megabytes = (value: number | undefined): string => (value === undefined ? '–' : String(Math.round(value)))

/** Write bytes in KB or MB. */
export function bytes(value: number | undefined): string {
  if (value === undefined) return '–'
  if (value >= 1_048_576) return `${(value / 1_048_576).toFixed(1)} MB`
  return value === 0 ? '0' : `${Math.ceil(value / 1_024)} KB`
}

/** Return the largest number; `undefined` without numbers. */
export function largest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

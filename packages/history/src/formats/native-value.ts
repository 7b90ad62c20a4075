import { isAsRead } from '../as-read.ts'
import type { NativeValue } from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'

/** A message or part, as far as it says what it was read from. */
interface Native {
  readonly native?: NativeValue | undefined
}

/** Return what a message or part was read from, where that was an object of this format. */
export function nativeOf(format: string, { native }: Native): Fields | undefined {
  return native?.format === format && isFields(native.value) ? native.value : undefined
}

/** Tell whether a message is the very object that this format has read. */
export const isUntouched = (format: string, value: Native): boolean =>
  value.native?.format === format && isAsRead(value)

import type { z } from 'zod'
import { HttpError } from '../app/http-error.ts'

const MAX_ISSUES = 5

/**
 * Read what was sent by a schema.
 *
 * @throws HttpError `invalid-request`, which names the fields and never their values.
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const field = path.map(String).join('.').slice(0, 80)
    return `${field === '' ? what : field}: ${message.slice(0, 200)}`
  })
  throw new HttpError('invalid-request', `${issues.join('. ')}.`.replaceAll('..', '.'))
}

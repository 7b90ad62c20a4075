import { usageError } from '../cli-error.ts'

/** Refuse an address that must not or cannot be listened at. */
export async function explainListen<Service>(starting: Promise<Service>): Promise<Service> {
  try {
    return await starting
  } catch (error) {
    if (error instanceof Error) throw usageError(`--listen: ${error.message}`, { cause: error })
    throw error
  }
}

import { usageError } from './cli-error.ts'

/** Make something of options; what refuses them tells of the command line's own names. */
export function nameOptions<Made>(make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const message = error.message
      .replaceAll('maxResultTokens', '--max-tokens')
      .replaceAll('previewTokens', '--preview-tokens')
    throw usageError(message, { cause: error })
  }
}

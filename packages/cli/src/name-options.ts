import { usageError } from './cli-error.ts'
import { inOptionNames } from './option-names.ts'

/** Make something of options; what refuses them tells of the command line's own names. */
export function nameOptions<Made>(make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(inOptionNames(error.message), { cause: error })
  }
}

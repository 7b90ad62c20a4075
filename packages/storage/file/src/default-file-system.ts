import type { FileStep } from './file-system.ts'
import { NodeFileSystem } from './node-file-system.ts'
import { StepsThread } from './steps-thread.ts'

/** One for the process. */
const thread = new StepsThread()

/**
 * What `FileStorage` uses where it is given nothing else. It is no part of {@link NodeFileSystem}, since steps in another
 * thread pass by what a class of a user's has in the place of its operations.
 */
export class DefaultFileSystem extends NodeFileSystem {
  async runSteps(steps: readonly FileStep[]): Promise<number> {
    return thread.run(steps)
  }
}

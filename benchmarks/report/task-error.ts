/** The reason why a process returned no result. */
export class TaskError extends Error {
  override readonly name = 'TaskError'
}

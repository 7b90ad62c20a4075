/** Why a process gave no result. */
export class TaskError extends Error {
  override readonly name = 'TaskError'
}

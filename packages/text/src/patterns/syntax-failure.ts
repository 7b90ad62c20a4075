/** Why a pattern is no expression that can be searched, and where. */
export class SyntaxFailure extends Error {
  override readonly name = 'SyntaxFailure'
  /** In UTF-16 units of what was read. */
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

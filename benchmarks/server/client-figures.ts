/** How clients behave. */
export interface ClientOptions {
  readonly clients: number
  readonly seconds: number
  /** Whether they also search and read. */
  readonly readsToo: boolean
}

/** What clients saw. */
export interface ClientFigures {
  answered: number
  /** Told to come later. */
  refused: number
  /** Told so without when. */
  refusedWithoutWait: number
  /** Everything else, by its status or its code. */
  readonly failed: Record<string, number>
  /** Bytes of the bodies that were answered. */
  bytes: number
  /** Milliseconds of requests that were answered, by what they were. */
  readonly latencies: Record<string, number[]>
}

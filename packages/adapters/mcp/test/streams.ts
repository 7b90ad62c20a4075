import { PassThrough, type Readable, type Writable } from 'node:stream'

/** One end of a pair of streams, as a process has its standard input and output. */
export interface StreamEnd {
  readonly input: Readable
  readonly output: Writable
}

/** Make two ends: what is written to the one is read from the other. */
export function streamPair(): readonly [StreamEnd, StreamEnd] {
  const [there, back] = [new PassThrough(), new PassThrough()]
  return [
    { input: back, output: there },
    { input: there, output: back },
  ]
}

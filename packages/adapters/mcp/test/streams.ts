import { PassThrough, type Readable, type Writable } from 'node:stream'

/** One end of a pair of streams, like the standard input and output of a process. */
export interface StreamEnd {
  readonly input: Readable
  readonly output: Writable
}

/** Make two connected ends: each end reads the bytes that the other writes. */
export function streamPair(): readonly [StreamEnd, StreamEnd] {
  const [there, back] = [new PassThrough(), new PassThrough()]
  return [
    { input: back, output: there },
    { input: there, output: back },
  ]
}

/** Runs commands that its parent sends, one after another, in the way of {@link runInProcess}. */
import { runInProcess, type RunOptions } from './run-in-process.ts'

process.on('message', ({ args, options }: { readonly args: readonly string[]; readonly options: RunOptions }) => {
  void runInProcess(args, options).then((ended) => process.send!(ended))
})

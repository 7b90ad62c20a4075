/** Runs the commands that its parent process sends, one after another, with {@link runInProcess}. */
import { runInProcess, type RunOptions } from './run-in-process.ts'

process.on('message', ({ args, options }: { readonly args: readonly string[]; readonly options: RunOptions }) => {
  void runInProcess(args, options).then((ended) => process.send!(ended))
})

/** A frame of a stack trace, as runtimes and debuggers print it. */
const FRAME =
  /^\s*(?:at [\w$<.[#]|File ".{1,300}", line \d|#\d+ |from \S+:\d+:in|\d+: [\w<]|==\d+== +(?:at|by) 0x|\.{3} \d+ (?:more|common frames)|# (?:\.\/|\/)\S+:\d+:in|❯ \S+:\d+|\S+\.go:\d+( \+0x|$)|in \S+ at \S+:\d+|\(\w+ [\d.]+\) \S+:\d+:)/

/** Places of code that a program uses and its writers did not write. */
const FOREIGN =
  /node_modules|node:internal|internal\/(?:modules|process|timers)|site-packages|dist-packages|\/lib\/python\d|\/usr\/(?:lib|local\/lib|share)\/|\/gems\/|\/rubygems\/|\/rustc\/|\/\.cargo\/registry|\/go\/pkg\/mod\/|\/usr\/local\/go\/|\bat (?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|testng|gradle|apache|springframework|hibernate|opentest4j|codehaus|mockito|assertj|hamcrest)|System|Microsoft|Xunit|NUnit)\.|\/vendor\/|\b(?:core|std|tokio|alloc)::|<Jasmine>|zone\.js|\.\.\. \d+ (?:more|common frames)|\((?:stdlib|elixir|ex_unit) [\d.]+\)|gen_server\.erl/

/** Whether a line is a frame of a stack trace that leads through code of others. */
export function isForeignFrame(line: string): boolean {
  return FRAME.test(line) && FOREIGN.test(line)
}

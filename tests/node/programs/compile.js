// Checks a small TypeScript program with the compiler in the directory given, again and again for N ms of CPU.
'use strict';
const path = require('path');
const ts = require(path.join(process.argv[2], 'lib', 'typescript.js'));

const source = `
interface Node<T> { value: T; next?: Node<T> }
class List<T extends { id: number }> implements Iterable<T> {
  private head?: Node<T>;
  add(value: T): this { this.head = { value, next: this.head }; return this; }
  *[Symbol.iterator](): Iterator<T> { for (let n = this.head; n; n = n.next) yield n.value; }
}
type Deep<T> = { readonly [K in keyof T]: T[K] extends object ? Deep<T[K]> : T[K] };
const wrong: Deep<{ a: { b: string } }> = { a: { b: 1 } };
export const total = [...new List<{ id: number }>().add({ id: 1 })].map((x) => x.id).reduce((a, b) => a + b, 0);
`;
const options = { target: ts.ScriptTarget.ES2020, strict: true, noEmit: true };
const host = ts.createCompilerHost(options);
const read = host.getSourceFile;
host.getSourceFile = (name, ...rest) =>
  name === 'main.ts' ? ts.createSourceFile(name, source, options.target, true) : read.call(host, name, ...rest);

const used = () => (({ user, system }) => (user + system) / 1000)(process.cpuUsage());
const end = used() + Number(process.argv[3]);
let errors;
do errors = ts.getPreEmitDiagnostics(ts.createProgram(['main.ts'], options, host)).length; while (used() < end);
console.log(errors === 1 ? 'done' : `${errors} errors`);

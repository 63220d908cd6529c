// The type of a text file, which is read when the program is built.

declare module '*.txt' {
  const text: string;
  export default text;
}

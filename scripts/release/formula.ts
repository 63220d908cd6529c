/** The data of a formula: the address of the archives, and their hashes by platform. */
export interface FormulaDeps {
  readonly version: string;
  readonly url: string;
  /** SHA-256 in hexadecimal digits, by the name of the platform. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** A Homebrew formula that installs the archives of a release. */
export function formatFormula({ version, url, hashes }: FormulaDeps): string {
  const block = (name: string, condition: string): string => {
    const hash = hashes.get(name);
    if (hash === undefined) return '';
    return `    ${condition} do\n      url "${url}/aish-${version}-${name}.tar.gz"\n      sha256 "${hash}"\n    end\n`;
  };
  return `class Aish < Formula
  desc "Shell with a language model at its prompt"
  version "${version}"
  license "MIT"

  on_macos do
${block('darwin-arm64', 'on_arm')}${block('darwin-x64', 'on_intel')}  end

  on_linux do
${block('linux-arm64', 'on_arm')}${block('linux-x64', 'on_intel')}  end

  def install
    bin.install "aish"
    man1.install "aish.1"
    generate_completions_from_executable(bin/"aish", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/aish --version")
  end
end
`;
}

import FrostglassServer
import Glibc
import TestSupport
import Testing

private let python = "\(Files.root)/.build/service-venv/bin/python"
private let store = "\(Files.root)/.build/service-venv/bin/moto_server"

/// Images of a store that is somebody else's program and checks signatures: moto, from PyPI.
@Suite(.enabled(if: access(store, X_OK) == 0, "needs scripts/service-venv.sh"))
struct S3StoreTests {
  /// Puts an image into a bucket for a user of its own, says where and for whom, and serves until it is ended.
  /// After five requests it takes only signed ones.
  private static let program = """
    import json, os, sys, time
    parent = os.getppid()
    os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "5"
    from moto.server import ThreadedMotoServer
    import boto3
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    def client(name):
        return boto3.client(name, region_name="us-east-1", endpoint_url=f"http://127.0.0.1:{port}",
                            aws_access_key_id="a", aws_secret_access_key="b")
    iam, s3 = client("iam"), client("s3")
    iam.create_user(UserName="reader")
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    rule = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=json.dumps(rule))
    s3.create_bucket(Bucket="photos")
    s3.put_object(Bucket="photos", Key="holiday/a b+é.png", Body=open(sys.argv[1], "rb").read())
    print(os.getpid(), port, key["AccessKeyId"], key["SecretAccessKey"], flush=True)
    while os.getppid() == parent:
        time.sleep(0.5)
    """

  @Test func signedRequestsAreTakenByAStore() async throws {
    let folder = try Folder()
    try folder.write("a.png", try Sample.file())
    try folder.write("store.py", Self.program)
    let command = "exec '\(python)' '\(folder.path)/store.py' '\(folder.path)/a.png' 2>/dev/null"
    let words = try await onThread { () -> [String] in
      let output = try #require(popen(command, "re"))
      var line = [CChar](repeating: 0, count: 512)
      _ = fgets(&line, Int32(line.count), output)
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
    try #require(words.count == 4)
    let process = try #require(pid_t(words[0]))
    defer {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    for (name, secret) in [("good", words[3]), ("bad", "wrong")] {
      try folder.write(
        name, "[default]\naws_access_key_id = \(words[2])\naws_secret_access_key = \(secret)\n")
    }
    let cache = "\(folder.path)/cache"
    let origins = try ["good", "bad"].map { name in
      try Origin(
        "\(name)=s3://photos/holiday?endpoint=http://127.0.0.1:\(words[1])&address=127.0.0.1&fresh=0"
          + "&credentials=\(folder.path)/\(name)")
    }
    let server = try TestServer {
      $0.origins = origins
      $0.sourceCache = cache
    }
    let first = try await server.get("/v1/images?src=good/a%20b%2B%C3%A9.png&sigma=2")
    #expect(first.status == 200, "\(first.text)")
    // The second is asked for with conditions, which are signed, too.
    let second = try await server.get("/v1/images?src=good/a%20b%2B%C3%A9.png&sigma=2")
    #expect(second.status == 200 && second.body == first.body)
    #expect(try await server.get("/v1/images?src=good/nothing.png&sigma=2").status == 404)
    #expect(try await server.get("/v1/images?src=bad/a%20b%2B%C3%A9.png&sigma=2").status == 404)
    let metrics = try await server.get("/metrics").text
    for row in [
      "{origin=\"good\",outcome=\"200\"} 1\n", "{origin=\"good\",outcome=\"304\"} 1\n",
      "{origin=\"good\",outcome=\"404\"} 1\n", "{origin=\"bad\",outcome=\"403\"} 1\n",
    ] {
      #expect(metrics.contains("frostglass_fetches_total\(row)"), "\(metrics)")
    }
  }
}

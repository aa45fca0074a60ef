// SPDX-License-Identifier: Apache-2.0
/*
Breadth-first search, components and PageRank on GraphX, for races with Outcore. race.py starts it.

Arguments are name=value: workload, graph (a Parquet file or folder of `outcore export`), vertices,
edges and checksum (of the graph that is meant), partitions and strategy (of the edges),
answer (the .npy file to write), and the workload's parameters: source; iterations and damping.

Jobs are grouped as load, partition, run and write, so that Spark's event log has their times. What
is not in it, the replicated vertices, is printed. Graphs and values that do not fit in memory go to
disk.
*/
package outcore

import java.io.{BufferedOutputStream, FileOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.BitSet

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.graphx.{Edge, EdgeDirection, Graph, GraphXUtils, PartitionStrategy, TripletFields}
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorRemoved}
import org.apache.spark.sql.SparkSession
import org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK

// A fault that is told in one line.
class Fault(message: String) extends Exception(message)

// A run that lost an executor is not the run that was asked for, although Spark would go on.
class Executors(context: SparkContext) extends SparkListener {
  @volatile private var lost: Option[String] = None
  @volatile private var finished = false

  override def onExecutorRemoved(removed: SparkListenerExecutorRemoved): Unit =
    if (!finished && lost.isEmpty) {
      lost = Some(s"executor ${removed.executorId} died: ${removed.reason}")
      context.cancelAllJobs()
    }

  def finish(): Unit = finished = true
  def fault: Option[String] = lost
}

object Race {
  private type Edges = Graph[Int, Byte]
  private val Unreached = Int.MaxValue
  private val Strategies = Map(
    "1d" -> PartitionStrategy.EdgePartition1D,
    "2d" -> PartitionStrategy.EdgePartition2D,
    "random" -> PartitionStrategy.RandomVertexCut
  )

  def main(words: Array[String]): Unit = {
    val asked = words.map(_.split("=", 2)).collect { case Array(name, value) => name -> value }.toMap
    val settings = new SparkConf()
    GraphXUtils.registerKryoClasses(settings)
    val session = SparkSession.builder().config(settings).getOrCreate()
    val context = session.sparkContext
    val executors = new Executors(context)
    context.addSparkListener(executors)
    try {
      race(session, asked)
      executors.finish()
    } catch {
      case error: Throwable =>
        executors.finish()
        val cause = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toList.last
        val said = if (error.isInstanceOf[Fault]) error.getMessage else cause.toString
        System.err.println("fault: " + executors.fault.getOrElse(said).replace('\n', ' '))
        session.stop()
        System.exit(1)
    }
    session.stop()
  }

  private def race(session: SparkSession, asked: Map[String, String]): Unit = {
    val context = session.sparkContext
    val group = (name: String) => context.setJobGroup(name, name)
    checkGraph(context, asked)

    group("load")
    val loaded = load(session, asked("graph"))
    val edges = loaded.edges.count()
    if (edges != asked("edges").toLong)
      throw new Fault(s"${asked("graph")}: $edges edges, expected ${asked("edges")}")
    group("partition")
    val graph = partitioned(loaded, asked)

    val vertices = asked("vertices").toInt
    val answer = new Answer(asked("answer"), vertices)
    asked("workload") match {
      case "bfs" =>
        val source = asked("source").toInt
        answer.ints(group, levels(graph, source), vertex => if (vertex == source) 0 else -1)
      case "wcc" => answer.ints(group, components(graph), number => number)
      case "pagerank" =>
        val damping = asked("damping").toDouble
        val iterations = asked("iterations").toInt
        val base = (1 - damping) / vertices
        // Vertices without edges are in no edge list; nobody gives them anything.
        val alone = if (iterations == 0) 1.0 / vertices else base
        answer.doubles(group, ranks(graph, vertices, iterations, damping), alone)
      case other => throw new Fault(s"no such workload: $other")
    }
    group("count")
    println(s"replicated_vertices: ${replicated(graph, vertices)}")
  }

  // The metadata of every file must be those that `outcore export` wrote for this graph.
  private def checkGraph(context: SparkContext, asked: Map[String, String]): Unit = {
    val path = new Path(asked("graph"))
    val files = path.getFileSystem(context.hadoopConfiguration)
    val parts = files.listStatus(path).map(_.getPath).filter(_.getName.endsWith(".parquet"))
    if (parts.isEmpty) throw new Fault(s"$path: there is no Parquet file")
    for (part <- parts) {
      val reader = ParquetFileReader.open(HadoopInputFile.fromPath(part, context.hadoopConfiguration))
      val said = reader.getFooter.getFileMetaData.getKeyValueMetaData.get("outcore.checksum")
      reader.close()
      if (said != asked("checksum"))
        throw new Fault(
          s"$part is of another graph: its outcore.checksum is $said, expected " +
            s"${asked("checksum")}; export the graph again (outcore export)"
        )
    }
  }

  private def load(session: SparkSession, path: String): Edges = {
    val rows = session.read.parquet(path).select("source", "target").rdd
    val edges: RDD[Edge[Byte]] = rows.map(row => Edge(row.getLong(0), row.getLong(1), 0.toByte))
    Graph.fromEdges(edges, 0, MEMORY_AND_DISK, MEMORY_AND_DISK)
  }

  private def partitioned(loaded: Edges, asked: Map[String, String]): Edges = {
    val strategy = Strategies(asked("strategy"))
    val graph = loaded.partitionBy(strategy, asked("partitions").toInt).cache()
    graph.edges.count()
    graph.vertices.count()
    loaded.unpersist()
    graph
  }

  // Pregel: whoever learns a level tells its neighbours the next one.
  private def levels(graph: Edges, source: Long): RDD[(Long, Int)] =
    graph
      .mapVertices((vertex, _) => if (vertex == source) 0 else Unreached)
      .pregel(Unreached, activeDirection = EdgeDirection.Out)(
        (_, known, heard) => math.min(known, heard),
        edge =>
          if (edge.srcAttr != Unreached && edge.srcAttr + 1 < edge.dstAttr)
            Iterator((edge.dstId, edge.srcAttr + 1))
          else Iterator.empty,
        (a, b) => math.min(a, b)
      )
      .vertices
      .mapValues(level => if (level == Unreached) -1 else level)

  // GraphX's own: each component is called by its least vertex.
  private def components(graph: Edges): RDD[(Long, Int)] =
    graph.connectedComponents().vertices.mapValues(_.toInt)

  // Every vertex begins with 1 / n and hands rank / out-degree to each of its neighbours; those
  // without out-edges hand nothing on. (GraphX's own ranks begin with 1 and are normalised.)
  private def ranks(graph: Edges, n: Int, iterations: Int, damping: Double): RDD[(Long, Double)] = {
    val base = (1 - damping) / n
    var now = graph
      .outerJoinVertices(graph.outDegrees)((_, _, degree) => (1.0 / n, degree.getOrElse(0)))
      .cache()
    for (_ <- 1 to iterations) {
      val heard = now.aggregateMessages[Double](
        edge => edge.sendToDst(edge.srcAttr._1 / edge.srcAttr._2),
        _ + _,
        TripletFields.Src
      )
      val before = now
      now = now
        .outerJoinVertices(heard) { case (_, (_, degree), sum) =>
          (base + damping * sum.getOrElse(0.0), degree)
        }
        .cache()
      now.edges.foreachPartition(_ => ())
      now.vertices.foreachPartition(_ => ())
      before.unpersist()
    }
    now.vertices.mapValues(_._1)
  }

  // In how many partitions of edges a vertex stands, over all vertices.
  private def replicated(graph: Edges, vertices: Int): Long =
    graph.edges
      .mapPartitions { edges =>
        val there = new BitSet(vertices)
        for (edge <- edges) {
          there.set(edge.srcId.toInt)
          there.set(edge.dstId.toInt)
        }
        Iterator(there.cardinality.toLong)
      }
      .sum()
      .toLong
}

// One value a vertex, in a file of NumPy's format.
class Answer(file: String, vertices: Int) {
  def ints(group: String => Unit, values: => RDD[(Long, Int)], alone: Int => Int): Unit = {
    val all = Array.tabulate(vertices)(alone)
    fetch(group, values)((vertex, value) => all(vertex) = value)
    write("<u4", 4, (bytes, vertex) => bytes.putInt(all(vertex)))
  }

  def doubles(group: String => Unit, values: => RDD[(Long, Double)], alone: Double): Unit = {
    val all = Array.fill(vertices)(alone)
    fetch(group, values)((vertex, value) => all(vertex) = value)
    write("<f8", 8, (bytes, vertex) => bytes.putDouble(all(vertex)))
  }

  // A partition of vertices at a time.
  private def fetch[T](group: String => Unit, values: => RDD[(Long, T)])(
      put: (Int, T) => Unit
  ): Unit = {
    group("run")
    val found = values.cache()
    found.count()
    group("write")
    for ((vertex, value) <- found.toLocalIterator) put(vertex.toInt, value)
  }

  private def write(kind: String, width: Int, put: (ByteBuffer, Int) => Unit): Unit = {
    val head = s"{'descr': '$kind', 'fortran_order': False, 'shape': ($vertices,), }"
    val padded = head.padTo(128 - 10 - 1, ' ') + "\n"
    val out = new BufferedOutputStream(new FileOutputStream(file), 1 << 20)
    val magic = Array(0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0).map(_.toByte)
    out.write(magic)
    out.write(padded.getBytes("US-ASCII"))
    val one = ByteBuffer.allocate(width).order(ByteOrder.LITTLE_ENDIAN)
    for (vertex <- 0 until vertices) {
      one.clear()
      put(one, vertex)
      out.write(one.array)
    }
    out.close()
  }
}

//! Draws line charts and histograms as inline SVG.

use plotters::prelude::*;

use crate::statistics::Estimate;

/// Size of a plot, in pixels.
const SIZE: (u32, u32) = (800, 300);

/// A line or the outline of a histogram.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// How an axis is labelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scale {
    /// Labels are the coordinates.
    #[default]
    Linear,
    /// Coordinates are logarithms to base 10. Labels are the numbers themselves.
    Logarithmic,
}

/// A chart. All coordinates must be finite.
#[derive(Clone, Debug, Default)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) x_label: &'static str,
    pub(super) y_label: &'static str,
    pub(super) x_scale: Scale,
    pub(super) series: Vec<Series>,
    /// Confidence interval of the first series at each x.
    pub(super) band: Vec<(f64, Estimate)>,
    /// Horizontal marker lines, as y coordinates.
    pub(super) marks: Vec<f64>,
    /// Caption below the chart; may be empty.
    pub(super) note: String,
}

impl Chart {
    /// Renders the chart as an `<svg>` element.
    pub(super) fn draw(&self) -> Result<String, String> {
        let mut svg = String::new();
        self.draw_into(&mut svg)
            .map_err(|error| error.to_string())?;
        Ok(svg)
    }

    fn draw_into(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (x, y) = self.ranges();
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 18))
            .margin(8)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
        let scale = self.x_scale;
        chart
            .configure_mesh()
            .x_desc(self.x_label)
            .y_desc(self.y_label)
            .x_label_formatter(&|&x| match scale {
                Scale::Linear => format_label(x),
                Scale::Logarithmic => format_label(10f64.powf(x)),
            })
            .y_label_formatter(&|&y| format_label(y))
            .light_line_style(WHITE)
            .draw()?;
        let low = self.band.iter().map(|(x, band)| (*x, band.low));
        let high = self.band.iter().rev().map(|(x, band)| (*x, band.high));
        let outline: Vec<(f64, f64)> = low.chain(high).collect();
        if self.band.len() > 1 {
            let color = Palette99::pick(0).mix(0.15);
            chart.draw_series([Polygon::new(outline, color)])?;
        }
        for &mark in &self.marks {
            let line = vec![(x.0, mark), (x.1, mark)];
            chart.draw_series([PathElement::new(line, BLACK.mix(0.5))])?;
        }
        for (i, series) in self.series.iter().enumerate() {
            let color = Palette99::pick(i).to_rgba();
            let points = series.points.iter().copied();
            chart
                .draw_series(LineSeries::new(points, color.stroke_width(2)))?
                .label(&series.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
        }
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
        Ok(())
    }

    /// Ranges of x and y, never empty.
    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let points = self.series.iter().flat_map(|series| &series.points);
        let (xs, ys): (Vec<f64>, Vec<f64>) = points.copied().unzip();
        let band = self.band.iter().flat_map(|(_, band)| [band.low, band.high]);
        let heights = ys.into_iter().chain(band).chain(self.marks.iter().copied());
        let (low, high) = range(heights);
        let space = 0.05 * (high - low);
        (range(xs), (low - space, high + space))
    }
}

fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .into_iter()
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    match high - low {
        width if width > 0.0 => (low, high),
        0.0 => (low - 0.5, high + 0.5),
        _ => (0.0, 1.0),
    }
}

/// Formats a number with up to three decimals, fewer for large numbers.
fn format_label(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 10.0 || size == 0.0 => 0,
        size if size >= 1.0 => 1,
        size if size >= 0.1 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
